# -i shows the headers: what is left of this hour, and a fingerprint of the answer.
curl -s -i -H "Authorization: Bearer @token@" '@api@/v1/servers' | grep -i -E '^(HTTP|x-ratelimit|etag)'

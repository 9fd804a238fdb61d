# -i shows the headers, among them the requests left in this window and the ETag of the response.
curl -s -i -H "Authorization: Bearer @token@" '@api@/v1/servers' | grep -i -E '^(HTTP|x-ratelimit|etag)'

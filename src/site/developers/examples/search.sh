# Players and maps by the beginning of a name.
curl -s -H "Authorization: Bearer @token@" '@api@/v1/players?search=ste&limit=5'
curl -s -H "Authorization: Bearer @token@" '@api@/v1/maps?search=a&limit=5'

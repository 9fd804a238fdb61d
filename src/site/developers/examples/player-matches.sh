# The last match of a page names the next one. `kills` and `deaths` work alike.
LAST=$(curl -s -H "Authorization: Bearer @token@" '@api@/v1/players/@player@/matches?limit=3' |
  grep -o '"id":"[^"]*"' | tail -n 1 | cut -d '"' -f 4)
curl -s -H "Authorization: Bearer @token@" \
  "@api@/v1/players/@player@/matches?limit=3&max_id=$LAST"

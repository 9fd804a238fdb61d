# A player by name or UUID, with the statistics you ask for.
curl -s -H "Authorization: Bearer @token@" '@api@/v1/players/@player@?fields=total,ctw,matches'

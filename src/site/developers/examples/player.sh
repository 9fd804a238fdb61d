# Read a player by name or UUID, with the statistics selected by `fields`.
curl -s -H "Authorization: Bearer @token@" '@api@/v1/players/@player@?fields=total,ctw,matches'

# The matches of one gamemode that have ended since a time.
curl -s -H "Authorization: Bearer @token@" \
  '@api@/v1/matches?gamemode=tdm&since=2026-01-01T00:00:00Z&limit=3'

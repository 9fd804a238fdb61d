# The ten players with the most kills of all time.
curl -s -H "Authorization: Bearer @token@" \
  '@api@/v1/leaderboards/total/all?by=kill_count&limit=10'

# A game server reports a finished match with its key. With dry_run=1 it is checked and not stored; without it, it is stored,
# and counts only once if it is sent again with the same id.
curl -s '@ingest@/events?dry_run=1' -H 'Authorization: Bearer @server_key@' -H 'Content-Type: application/json' -d '{
  "version": 1,
  "id": "match-20260301-17",
  "type": "match.finished",
  "time": "2026-03-01T12:10:00.000Z",
  "data": {
    "map": "Twin Peaks",
    "gamemode": "tdm",
    "win": "Red",
    "started": "2026-03-01T12:00:00.000Z",
    "finished": "2026-03-01T12:10:00.000Z",
    "teams": [
      { "name": "Red", "score": 25, "players": [
        { "uuid": "11111111-2222-4333-8444-555555555555", "name": "Someone", "kill_count": 12, "death_count": 3, "time_played": 600 } ] },
      { "name": "Blue", "score": 20, "players": [] }
    ]
  }
}'

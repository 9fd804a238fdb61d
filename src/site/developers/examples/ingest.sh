# A game server reports a finished match with its key. Sent again with the same id, the match counts only once.
curl -s '@ingest@/events' -H 'Authorization: Bearer @server_key@' -H 'Content-Type: application/json' -d '{
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

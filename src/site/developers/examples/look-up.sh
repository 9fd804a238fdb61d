# Each entry has its own result, in the order of the request, UUIDs first.
curl -s -H "Authorization: Bearer @token@" \
  '@api@/v1/players?uuids=11111111-2222-4333-8444-555555555555&names=@player@,Nobody'

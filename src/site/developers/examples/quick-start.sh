# 1. Get an access token for your application. It is valid for one hour.
TOKEN=$(curl -s '@auth@/oauth/token' -u '@client_id@:@client_secret@' -d grant_type=client_credentials |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# 2. Read the three newest matches with their teams.
curl -s -H "Authorization: Bearer $TOKEN" '@api@/v1/matches?limit=3&fields=teams'

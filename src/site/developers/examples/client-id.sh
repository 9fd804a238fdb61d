# Public data needs only your Client ID, no secret.
curl -s '@api@/v1/servers/online?client_id=@client_id@'

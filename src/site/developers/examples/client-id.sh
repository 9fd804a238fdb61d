# Without a secret: your Client ID alone opens public data.
curl -s '@api@/v1/servers/online?client_id=@client_id@'

# 1. A nonce (and a state) that only this browser's session knows.
NONCE=$(openssl rand -hex 16); STATE=$(openssl rand -hex 16)

# 2. Send the person to this address.
echo "@auth@/oauth/authorize?client_id=@client_id@&response_type=code&scope=openid%20profile%20email&redirect_uri=@redirect_encoded@&nonce=$NONCE&state=$STATE"

# 3. They come back to your Redirect URI. Check the state, take the code.
read -r CALLBACK
case "$CALLBACK" in *"state=$STATE"*) ;; *) echo 'That is not our state.' >&2; exit 1 ;; esac
CODE=$(echo "$CALLBACK" | sed 's/.*[?&]code=\([^&]*\).*/\1/')

# 4. Exchange the code, once, within a minute.
TOKENS=$(curl -s '@auth@/oauth/token' -u '@client_id@:@client_secret@' \
  -d grant_type=authorization_code -d "code=$CODE" --data-urlencode 'redirect_uri=@redirect@')
ACCESS_TOKEN=$(echo "$TOKENS" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
ID_TOKEN=$(echo "$TOKENS" | sed 's/.*"id_token":"\([^"]*\)".*/\1/')

# 5. Let the ID token be checked: audience must be your Client ID.
curl -s "@auth@/oauth/tokeninfo?id_token=$ID_TOKEN" | grep -q '"audience":"@client_id@"' || exit 1

# 6. Who it is, and what they have played.
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@auth@/oauth/userinfo'
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@api@/v1/players/me?fields=total'

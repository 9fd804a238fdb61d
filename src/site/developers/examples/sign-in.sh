# 1. Generate a nonce and a state, and store them in the session of this browser.
NONCE=$(openssl rand -hex 16); STATE=$(openssl rand -hex 16)

# 2. Redirect the browser to this address.
echo "@auth@/oauth/authorize?client_id=@client_id@&response_type=code&scope=openid%20profile%20email&redirect_uri=@redirect_encoded@&nonce=$NONCE&state=$STATE"

# 3. The browser returns to your Redirect URI, read here from standard input. Check the state and extract the code.
read -r CALLBACK
case "$CALLBACK" in *"state=$STATE"*) ;; *) echo 'The state does not match. Start again.' >&2; exit 1 ;; esac
CODE=$(echo "$CALLBACK" | sed 's/.*[?&]code=\([^&]*\).*/\1/')

# 4. Exchange the code for tokens. It works once and expires after 60 seconds.
TOKENS=$(curl -s '@auth@/oauth/token' -u '@client_id@:@client_secret@' \
  -d grant_type=authorization_code -d "code=$CODE" --data-urlencode 'redirect_uri=@redirect@')
ACCESS_TOKEN=$(echo "$TOKENS" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
ID_TOKEN=$(echo "$TOKENS" | sed 's/.*"id_token":"\([^"]*\)".*/\1/')

# 5. Have the ID token validated; its audience must be your Client ID.
curl -s "@auth@/oauth/tokeninfo?id_token=$ID_TOKEN" | grep -q '"audience":"@client_id@"' || exit 1

# 6. Read the person's profile and statistics.
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@auth@/oauth/userinfo'
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@api@/v1/players/me?fields=total'

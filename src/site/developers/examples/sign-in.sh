# 1. Generate a nonce, a state and a code verifier (PKCE), and store them in the session of this browser.
NONCE=$(openssl rand -hex 16); STATE=$(openssl rand -hex 16); VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=\n')

# 2. Redirect the browser to this address.
echo "@auth@/oauth/authorize?client_id=@client_id@&response_type=code&scope=openid%20profile%20email&redirect_uri=@redirect_encoded@&nonce=$NONCE&state=$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"

# 3. The browser returns to your Redirect URI, read here from standard input. Check the state and extract the code.
read -r CALLBACK
case "$CALLBACK" in *"state=$STATE"*) ;; *) echo 'The state does not match. Start again.' >&2; exit 1 ;; esac
case "$CALLBACK" in *[?\&]error=*) echo "$CALLBACK" >&2; exit 1 ;; esac
CODE=$(echo "$CALLBACK" | sed 's/.*[?&]code=\([^&]*\).*/\1/')

# 4. Exchange the code for tokens. It works once and expires after 60 seconds.
TOKENS=$(curl -s '@auth@/oauth/token' -u '@client_id@:@client_secret@' \
  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" --data-urlencode 'redirect_uri=@redirect@')
case "$TOKENS" in *'"error"'*) echo "$TOKENS" >&2; exit 1 ;; esac
ACCESS_TOKEN=$(echo "$TOKENS" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
ID_TOKEN=$(echo "$TOKENS" | sed 's/.*"id_token":"\([^"]*\)".*/\1/')

# 5. Have the ID token validated; its audience must be your Client ID.
curl -s "@auth@/oauth/tokeninfo?id_token=$ID_TOKEN" | grep -q '"audience":"@client_id@"' || exit 1

# 6. Read the person's profile and statistics, which are `not_found` until a game account is linked.
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@auth@/oauth/userinfo'
curl -s -H "Authorization: Bearer $ACCESS_TOKEN" '@api@/v1/players/me?fields=total'

# Python 3.9 or newer, no packages. Run it, open the printed address and sign in.
import base64, hashlib, json, secrets
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlparse
from urllib.request import Request, urlopen

REDIRECT_URI = "@redirect@"
NONCE, STATE = secrets.token_hex(16), secrets.token_hex(16)
# PKCE: only the program that knows the verifier can exchange the code.
VERIFIER = secrets.token_urlsafe(32)
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def exchange(code):
    basic = base64.b64encode(b"@client_id@:@client_secret@").decode()
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI, "code_verifier": VERIFIER}
    request = Request("@auth@/oauth/token", urlencode(form).encode(), {"Authorization": "Basic " + basic})
    return json.load(urlopen(request))


def get(url, token):
    return json.load(urlopen(Request(url, headers={"Authorization": "Bearer " + token})))


def greeting(token):
    try:
        player = get("@api@/v1/players/me?fields=total", token)
    except HTTPError as error:
        if error.code != 404:
            raise
        person = get("@auth@/oauth/userinfo", token)
        return f"Hello, {person['preferred_username']}: no game account is linked to your account yet."
    return f"Hello, {player['name']}: {player['total']['play_count']} matches."


class Callback(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            self.answer(200, self.sign_in(parse_qs(urlparse(self.path).query)))
        except HTTPError as error:
            self.answer(400, error.read().decode())
        except ValueError as error:
            self.answer(400, str(error))

    def sign_in(self, query):
        if query.get("state") != [STATE]:
            raise ValueError("The state does not match. Start again.")
        if "error" in query:
            raise ValueError(query["error"][0] + ": " + query.get("error_description", [""])[0])
        tokens = exchange(query["code"][0])
        body = tokens["id_token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if claims["nonce"] != NONCE or claims["aud"] != "@client_id@":
            raise ValueError("The ID token does not belong to this sign-in.")
        return greeting(tokens["access_token"])

    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


query = {
    "client_id": "@client_id@",
    "response_type": "code",
    "scope": "openid profile email",
    "redirect_uri": REDIRECT_URI,
    "nonce": NONCE,
    "state": STATE,
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}
print("@auth@/oauth/authorize?" + urlencode(query), flush=True)
HTTPServer(("127.0.0.1", urlparse(REDIRECT_URI).port), Callback).handle_request()

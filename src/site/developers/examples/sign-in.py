# Python 3.9 or newer, no packages. Run it, open the printed address and sign in.
import base64, json, secrets
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlparse
from urllib.request import Request, urlopen

REDIRECT_URI = "@redirect@"
NONCE, STATE = secrets.token_hex(16), secrets.token_hex(16)


def exchange(code):
    basic = base64.b64encode(b"@client_id@:@client_secret@").decode()
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
    request = Request("@auth@/oauth/token", urlencode(form).encode(), {"Authorization": "Basic " + basic})
    return json.load(urlopen(request))


def get(url, token):
    return json.load(urlopen(Request(url, headers={"Authorization": "Bearer " + token})))


class Callback(BaseHTTPRequestHandler):
    def do_GET(self):
        query = parse_qs(urlparse(self.path).query)
        if query.get("state") != [STATE]:
            return self.send_error(400, "The state does not match. Start again.")
        tokens = exchange(query["code"][0])
        body = tokens["id_token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if claims["nonce"] != NONCE or claims["aud"] != "@client_id@":
            return self.send_error(400, "The ID token does not belong to this sign-in.")
        player = get("@api@/v1/players/me?fields=total", tokens["access_token"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"Hello, {player['name']}: {player['total']['play_count']} matches.".encode())

    def log_message(self, *_):
        pass


query = {
    "client_id": "@client_id@",
    "response_type": "code",
    "scope": "openid profile email",
    "redirect_uri": REDIRECT_URI,
    "nonce": NONCE,
    "state": STATE,
}
print("@auth@/oauth/authorize?" + urlencode(query), flush=True)
HTTPServer(("127.0.0.1", urlparse(REDIRECT_URI).port), Callback).handle_request()

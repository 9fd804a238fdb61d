<?php
// PHP 8.1 or newer, no packages. Serve this file at your Redirect URI and open that address.
session_start();

const REDIRECT_URI = '@redirect@';

if (!isset($_GET['code']) && !isset($_GET['error'])) {
    $_SESSION['nonce'] = bin2hex(random_bytes(16));
    $_SESSION['state'] = bin2hex(random_bytes(16));
    // PKCE: only the session that knows the verifier can exchange the code.
    $_SESSION['verifier'] = bin2hex(random_bytes(32));
    $challenge = rtrim(strtr(base64_encode(hash('sha256', $_SESSION['verifier'], true)), '+/', '-_'), '=');
    $query = http_build_query([
        'client_id' => '@client_id@',
        'response_type' => 'code',
        'scope' => 'openid profile email',
        'redirect_uri' => REDIRECT_URI,
        'nonce' => $_SESSION['nonce'],
        'state' => $_SESSION['state'],
        'code_challenge' => $challenge,
        'code_challenge_method' => 'S256',
    ]);
    header("Location: @auth@/oauth/authorize?$query");
    exit;
}

function fail(string $message): never
{
    http_response_code(400);
    exit(htmlspecialchars($message));
}

if (!isset($_SESSION['state']) || !hash_equals($_SESSION['state'], $_GET['state'] ?? '')) {
    fail('The state does not match. Start again.');
}
if (isset($_GET['error'])) {
    fail("{$_GET['error']}: " . ($_GET['error_description'] ?? ''));
}

function request(string $url, array $headers, ?array $form = null): array
{
    $options = ['header' => $headers, 'method' => $form === null ? 'GET' : 'POST', 'ignore_errors' => true];
    if ($form !== null) {
        $options['header'][] = 'Content-Type: application/x-www-form-urlencoded';
        $options['content'] = http_build_query($form);
    }
    $answer = json_decode(file_get_contents($url, false, stream_context_create(['http' => $options])), true);
    if (!is_array($answer) || isset($answer['error']) && $answer['error'] !== 'not_found') {
        fail(($answer['error'] ?? 'no answer') . ': ' . ($answer['error_description'] ?? ''));
    }
    return $answer;
}

$basic = base64_encode('@client_id@:@client_secret@');
$tokens = request('@auth@/oauth/token', ["Authorization: Basic $basic"], [
    'grant_type' => 'authorization_code',
    'code' => $_GET['code'],
    'redirect_uri' => REDIRECT_URI,
    'code_verifier' => $_SESSION['verifier'],
]);

$claims = json_decode(base64_decode(strtr(explode('.', $tokens['id_token'])[1], '-_', '+/')), true);
if ($claims['nonce'] !== $_SESSION['nonce'] || $claims['aud'] !== '@client_id@') {
    fail('The ID token does not belong to this sign-in.');
}

$player = request('@api@/v1/players/me?fields=total', ["Authorization: Bearer {$tokens['access_token']}"]);
if (isset($player['error'])) {
    $person = request('@auth@/oauth/userinfo', ["Authorization: Bearer {$tokens['access_token']}"]);
    exit(htmlspecialchars("Hello, {$person['preferred_username']}: no game account is linked to your account yet."));
}
echo htmlspecialchars("Hello, {$player['name']}: {$player['total']['play_count']} matches.");

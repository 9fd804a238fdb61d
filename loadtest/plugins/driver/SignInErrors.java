import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends a wrong request to each endpoint of the sign-in that programs call, with the headers that Java sends by default. */
final class SignInErrors {
  private static final String[] ENDPOINTS = {"token", "userinfo", "revoke", "introspect", "par"};

  private SignInErrors() {}

  /** Returns status, type and body of each endpoint's answer. */
  static Map<String, Object> all(String url) throws Exception {
    Map<String, Object> answers = new LinkedHashMap<>();
    for (String endpoint : ENDPOINTS) answers.put(endpoint, post(url + "/oauth/" + endpoint));
    return answers;
  }

  private static Map<String, Object> post(String url) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.getOutputStream().write("client_id=unknown&token=x".getBytes(StandardCharsets.UTF_8));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("status", connection.getResponseCode());
    answer.put("type", String.valueOf(connection.getContentType()));
    try (InputStream body = connection.getErrorStream()) {
      answer.put("body", body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
    }
    return answer;
  }
}

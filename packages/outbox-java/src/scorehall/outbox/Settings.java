package scorehall.outbox;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/** Checks the settings of a plugin. */
public final class Settings {
  private Settings() {}

  /** @throws IllegalArgumentException if this is not the key of a server; the message does not contain it */
  public static String key(String key) {
    if (key.strip().matches("shk_[A-Za-z0-9_-]+")) return key.strip();
    throw new IllegalArgumentException("The setting key must be the server's key, shk_…");
  }

  /** @throws IllegalArgumentException if the address is not https, or http on this machine; the message names the setting */
  public static String address(String name, String text) {
    String address = text.strip().replaceAll("/+$", "");
    if (isUsable(address)) return address;
    throw new IllegalArgumentException("The setting " + name + " must begin with https://, or http:// on this machine");
  }

  private static boolean isUsable(String address) {
    try {
      URI uri = new URI(address);
      boolean local = List.of("127.0.0.1", "localhost", "[::1]").contains(String.valueOf(uri.getHost()));
      return uri.getHost() != null && ("https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && local));
    } catch (URISyntaxException wrong) {
      return false;
    }
  }
}

package scorehall.outbox;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, strings, doubles, booleans and null. */
public final class JsonReader {
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /** @throws IllegalArgumentException if the text is not JSON */
  public static Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value(0);
    reader.skipBlanks();
    if (reader.at < text.length()) throw reader.wrong();
    return value;
  }

  private Object value(int depth) {
    skipBlanks();
    if (depth > MAX_DEPTH || at >= text.length()) throw wrong();
    return switch (text.charAt(at)) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    if (next('}')) return members;
    do {
      skipBlanks();
      String name = string();
      if (!next(':')) throw wrong();
      members.put(name, value(depth + 1));
    } while (next(','));
    if (!next('}')) throw wrong();
    return members;
  }

  private List<Object> array(int depth) {
    List<Object> items = new ArrayList<>();
    at++;
    if (next(']')) return items;
    do items.add(value(depth + 1));
    while (next(','));
    if (!next(']')) throw wrong();
    return items;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    if (!next('"')) throw wrong();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') return out.toString();
      out.append(c == '\\' ? escape() : c);
    }
    throw wrong();
  }

  private char escape() {
    if (at >= text.length()) throw wrong();
    char c = text.charAt(at++);
    if (c == 'u') {
      if (at + 4 > text.length()) throw wrong();
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
    int index = "bfnrt".indexOf(c);
    return index < 0 ? c : "\b\f\n\r\t".charAt(index);
  }

  private Object word() {
    int from = at;
    while (at < text.length() && " \t\r\n,]}".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(from, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> null;
      default -> Double.valueOf(word);
    };
  }

  private boolean next(char expected) {
    skipBlanks();
    if (at >= text.length() || text.charAt(at) != expected) return false;
    at++;
    return true;
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not JSON at " + at);
  }
}

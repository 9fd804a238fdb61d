package scorehall.outbox;

import java.util.Iterator;
import java.util.Map;

/** Writes maps, lists, strings, numbers, booleans and null as JSON on one line. */
public final class Json {
  private Json() {}

  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      out.append(Double.isFinite(number.doubleValue()) ? number.toString() : "null");
    } else if (value instanceof Map<?, ?> map) {
      out.append('{');
      for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
        Map.Entry<?, ?> entry = entries.next();
        string(out, entry.getKey().toString());
        out.append(':');
        append(out, entry.getValue());
        if (entries.hasNext()) out.append(',');
      }
      out.append('}');
    } else if (value instanceof Iterable<?> items) {
      out.append('[');
      for (Iterator<?> each = items.iterator(); each.hasNext(); ) {
        append(out, each.next());
        if (each.hasNext()) out.append(',');
      }
      out.append(']');
    } else {
      string(out, value.toString());
    }
  }

  /** Characters beyond ASCII are escaped, so that a line is valid in any encoding and with any surrogates. */
  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c >= 0x20 && c < 0x7f) out.append(c);
      else out.append(String.format("\\u%04x", (int) c));
    }
    out.append('"');
  }
}

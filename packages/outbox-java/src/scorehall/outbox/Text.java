package scorehall.outbox;

/** Makes names fit for events. */
public final class Text {
  private Text() {}

  /**
   * Removes formatting codes and what the ingest rejects: control characters, marks of direction, invalid Unicode. Cuts
   * the rest to `max` UTF-16 units, and returns `otherwise` if nothing is left.
   */
  public static String clean(String text, int max, String otherwise) {
    StringBuilder out = new StringBuilder();
    String plain = text == null ? "" : text.replaceAll("\u00a7.", "").strip();
    for (int i = 0; i < plain.length(); ) {
      int point = plain.codePointAt(i);
      i += Character.charCount(point);
      if (out.length() + Character.charCount(point) > max) break;
      if (isShown(point)) out.appendCodePoint(point);
    }
    String cleaned = out.toString().strip();
    return cleaned.isEmpty() ? otherwise : cleaned;
  }

  private static boolean isShown(int point) {
    boolean directs = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
    boolean surrogate = point >= 0xd800 && point <= 0xdfff;
    return !Character.isISOControl(point) && !directs && !surrogate && point != 0xfffe && point != 0xffff;
  }
}

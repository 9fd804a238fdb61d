package org.bukkit;

public final class Color {
  private final int rgb;

  private Color(int rgb) {
    this.rgb = rgb;
  }

  public static Color fromRGB(int rgb) {
    return new Color(rgb);
  }

  public int asRGB() {
    return rgb;
  }
}

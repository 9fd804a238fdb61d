package net.kyori.adventure.text;

public interface Component {
  static TextComponent text(String content) {
    return () -> content;
  }
}

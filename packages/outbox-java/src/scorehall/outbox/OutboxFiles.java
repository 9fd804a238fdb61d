package scorehall.outbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the files of an outbox in their order. `outbox.position` has the position after the last delivered line: the
 * beginning of its file, which contains the id of an event, and an offset. Files whose beginning differs are read from
 * their start; the service answers `duplicate` for events that it has.
 */
final class OutboxFiles {
  private static final Pattern RENAMED = Pattern.compile("outbox\\.\\d{1,16}\\.ndjson");
  private static final int MAX_BEGINNING = 128;
  private static final int MAX_LINE = 64 << 20;

  /** @param next the position after the lines */
  record Chunk(List<String> lines, Position next) {}

  /** @param beginning the first bytes of the file, as ISO 8859-1 */
  record Position(String beginning, long offset) {}

  private final Path folder;
  private Position position;

  OutboxFiles(Path folder) {
    this.folder = folder;
    position = readPosition();
    // A power cut may have shortened the file. It must not grow to the old position before it is compared.
    if (!isInAFile(position)) position = new Position("", 0);
  }

  private boolean isInAFile(Position position) {
    try {
      for (Path file : files()) {
        if (!Files.exists(file)) continue;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
          if (isIn(position, channel)) return true;
        }
      }
    } catch (IOException unreadable) {
      // As a position that does not fit.
    }
    return false;
  }

  private static boolean isIn(Position position, FileChannel channel) throws IOException {
    return channel.size() >= position.offset
        && position.beginning.equals(beginning(channel, position.beginning.length()));
  }

  /**
   * Deletes renamed files that have been read.
   *
   * @return the oldest lines that are not delivered; null if there are none
   */
  Chunk next(int maxLines, int maxBytes) throws IOException {
    for (Path file : files()) {
      Chunk chunk = read(file, maxLines, maxBytes);
      if (chunk != null) return chunk;
      if (isRenamed(file)) Files.deleteIfExists(file);
    }
    return null;
  }

  /** Without fsync: if a power cut loses the position, events are sent again. */
  void advance(Position next) throws IOException {
    Path temporary = folder.resolve("outbox.position.new");
    Files.writeString(temporary, Json.write(Map.of("beginning", next.beginning, "offset", next.offset)));
    Files.move(temporary, folder.resolve("outbox.position"), StandardCopyOption.REPLACE_EXISTING);
    position = next;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> files = new ArrayList<>(all.filter(OutboxFiles::isRenamed).filter(Files::isRegularFile).toList());
      files.sort(Comparator.comparing((Path file) -> file.toString().length()).thenComparing(Path::toString));
      files.add(folder.resolve("outbox.ndjson"));
      return files;
    } catch (NoSuchFileException deleted) {
      return List.of();
    }
  }

  private static boolean isRenamed(Path file) {
    return RENAMED.matcher(file.getFileName().toString()).matches();
  }

  private Chunk read(Path file, int maxLines, int maxBytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      long offset = isIn(position, channel) ? position.offset : 0;
      byte[] bytes = bytes(channel, offset, (int) Math.min(maxBytes, size - offset));
      // A line that is longer than `maxBytes` is returned alone.
      for (int max = maxBytes; bytes.length == max && end(bytes, 0) < 0 && max < MAX_LINE; ) {
        max *= 4;
        maxLines = 1;
        bytes = bytes(channel, offset, (int) Math.min(max, size - offset));
      }
      List<String> lines = new ArrayList<>();
      int read = 0;
      for (int end = end(bytes, 0); end >= 0 && lines.size() < maxLines; end = end(bytes, read)) {
        lines.add(new String(bytes, read, end - read, StandardCharsets.UTF_8));
        read = end + 1;
      }
      if (lines.isEmpty()) return null;
      long next = offset + read;
      return new Chunk(lines, new Position(beginning(channel, (int) Math.min(next, MAX_BEGINNING)), next));
    } catch (NoSuchFileException deleted) {
      return null;
    }
  }

  private static int end(byte[] bytes, int from) {
    for (int at = from; at < bytes.length; at++) if (bytes[at] == '\n') return at;
    return -1;
  }

  private static String beginning(FileChannel channel, int length) throws IOException {
    return new String(bytes(channel, 0, length), StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) >= 0);
    byte[] read = new byte[buffer.position()];
    buffer.flip().get(read);
    return read;
  }

  /** @return the beginning of any file if there is none */
  private Position readPosition() {
    try {
      Object read = JsonReader.read(Files.readString(folder.resolve("outbox.position")));
      if (read instanceof Map<?, ?> members && members.get("beginning") instanceof String beginning
          && !beginning.isEmpty() && members.get("offset") instanceof Double offset && offset >= 0) {
        return new Position(beginning, offset.longValue());
      }
    } catch (IOException | IllegalArgumentException missing) {
      // Everything is sent again.
    }
    return new Position("", 0);
  }
}

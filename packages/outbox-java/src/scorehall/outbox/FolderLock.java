package scorehall.outbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;

/**
 * Lets one sender deliver the outbox of a folder. The system releases the lock of a process that was killed. The agent
 * cannot see it: it leaves an outbox alone while the time of `outbox.lock` is younger than a minute.
 */
final class FolderLock {
  /** A sender updates the time of the file at least this often. */
  static final long USE_MS = 10_000;

  private final Path file;
  private FileChannel channel;
  private long usedAt;

  FolderLock(Path folder) {
    file = folder.resolve("outbox.lock");
  }

  /** @return whether this sender has the lock */
  boolean acquire() {
    long now = System.nanoTime() / 1_000_000;
    if (channel != null && now - usedAt < USE_MS) return true;
    try {
      if (channel != null && Files.notExists(file)) release();
      if (channel == null && !open()) return false;
      // `Files.setLastModifiedTime` would release the lock, because it opens and closes the file.
      channel.write(ByteBuffer.wrap(new byte[] {'\n'}), 0);
      usedAt = now;
    } catch (IOException full) {
      // The lock is held all the same.
    }
    return true;
  }

  /** A file system without locks is no reason not to send: an event that is sent twice counts once. */
  private boolean open() throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) return true;
    } catch (OverlappingFileLockException sameProcess) {
      // As a lock of another process.
    } catch (IOException unsupported) {
      return true;
    }
    channel.close();
    channel = null;
    return false;
  }

  /** The agent may deliver the outbox at once. */
  void release() {
    if (channel == null) return;
    try {
      channel.close();
      Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    } catch (IOException deleted) {
      // Nothing is left to release.
    }
    channel = null;
  }
}

package scorehall.outbox;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Reports events that are lost because the queue is full: at the beginning, once a minute, and at the end. */
public final class Losses {
  private static final long REPORT_MS = 60_000;

  private final Consumer<String> onTrouble;
  private final LongSupplier now;
  private volatile int count;
  private long reported;

  /** @param now milliseconds of any clock */
  public Losses(Consumer<String> onTrouble, LongSupplier now) {
    this.onTrouble = onTrouble;
    this.now = now;
  }

  public synchronized void add() {
    long time = now.getAsLong();
    count++;
    if (count > 1 && time - reported < REPORT_MS) return;
    reported = time;
    onTrouble.accept(count == 1 ? "The queue of the outbox is full: events are lost." : count + " events are lost so far.");
  }

  public void end() {
    if (count > 0) reportEnd();
  }

  private synchronized void reportEnd() {
    onTrouble.accept(count + " events were lost while the queue of the outbox was full.");
    count = 0;
  }
}

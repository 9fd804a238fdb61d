package tc.oc.pgm.api.match.event;

public class MatchLoadEvent extends MatchEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  public MatchLoadEvent(tc.oc.pgm.api.match.Match match) {
    super(match);
  }
}

package tc.oc.pgm.destroyable;

public class DestroyableDestroyedEvent extends DestroyableEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  public DestroyableDestroyedEvent(tc.oc.pgm.api.match.Match match, Destroyable destroyable) {
    super(match, destroyable);
  }
}

package tc.oc.pgm.core;

public class CoreLeakEvent extends CoreEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  public CoreLeakEvent(tc.oc.pgm.api.match.Match match, Core core, org.bukkit.block.BlockState leakedBlock) {
    super(match, core);
  }
}

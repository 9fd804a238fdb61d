package tc.oc.pgm.destroyable;

public abstract class DestroyableEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  private final Destroyable destroyable;

  public DestroyableEvent(tc.oc.pgm.api.match.Match match, Destroyable destroyable) {
    super(match);
    this.destroyable = destroyable;
  }

  public Destroyable getDestroyable() {
    return destroyable;
  }
}

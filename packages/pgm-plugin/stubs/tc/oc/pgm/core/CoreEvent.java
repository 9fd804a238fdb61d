package tc.oc.pgm.core;

public abstract class CoreEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  protected final Core core;

  public CoreEvent(tc.oc.pgm.api.match.Match match, Core core) {
    super(match);
    this.core = core;
  }

  public Core getCore() {
    return core;
  }
}

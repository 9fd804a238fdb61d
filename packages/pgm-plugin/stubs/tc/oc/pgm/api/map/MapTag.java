package tc.oc.pgm.api.map;

public final class MapTag {
  private final Gamemode gamemode;
  private final boolean auxiliary;

  public MapTag(String id, Gamemode gamemode, boolean auxiliary) {
    this.gamemode = gamemode;
    this.auxiliary = auxiliary;
  }

  public Gamemode getGamemode() {
    return gamemode;
  }

  public boolean isAuxiliary() {
    return auxiliary;
  }
}

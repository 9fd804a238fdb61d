package tc.oc.pgm.api.map;

public enum Gamemode {
  CAPTURE_THE_WOOL("ctw"),
  DESTROY_THE_CORE("dtc"),
  FREE_FOR_ALL("ffa"),
  RACE_FOR_WOOL("rfw");

  private final String id;

  Gamemode(String id) {
    this.id = id;
  }

  public String getId() {
    return id;
  }
}

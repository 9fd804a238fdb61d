package scorehall.pgm;

import java.util.List;
import java.util.stream.Stream;
import tc.oc.pgm.api.map.Gamemode;
import tc.oc.pgm.api.map.MapInfo;
import tc.oc.pgm.api.map.MapTag;

/** Finds the gamemode under which a match counts. */
final class Gamemodes {
  private Gamemodes() {}

  /**
   * The first gamemode of the map with a separate field group: first among those that its authors named, then among those
   * that its objectives imply. A race for wool counts as ctw. Otherwise the first gamemode.
   */
  static String of(MapInfo map) {
    Stream<Gamemode> implied =
        map.getTags().stream().filter(tag -> tag.getGamemode() != null && !tag.isAuxiliary()).map(MapTag::getGamemode);
    Stream<Gamemode> auxiliary =
        map.getTags().stream().filter(tag -> tag.getGamemode() != null && tag.isAuxiliary()).map(MapTag::getGamemode);
    List<String> modes =
        Stream.of(map.getGamemodes().stream(), implied, auxiliary).flatMap(each -> each).map(Gamemode::getId).toList();
    String first = modes.isEmpty() ? "mixed" : modes.get(0);
    return modes.stream().filter(FieldGroups.GAMEMODES::contains).findFirst().orElse(first);
  }
}

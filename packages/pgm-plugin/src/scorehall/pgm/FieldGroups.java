package scorehall.pgm;

import java.util.List;

/** Field groups of the data API. `npm run docs` writes this file. */
final class FieldGroups {
  /** The gamemodes with a separate field group. */
  static final List<String> GAMEMODES = List.of("ctw", "dtc", "dtm", "ctf", "cp", "koth");

  private FieldGroups() {}
}

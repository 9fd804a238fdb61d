package tc.oc.pgm.teams;

import org.bukkit.Color;
import tc.oc.pgm.api.party.Competitor;

public class Team implements Competitor {
  private final String name;
  private final Color color;

  public Team(String name, int rgb) {
    this.name = name;
    this.color = Color.fromRGB(rgb);
  }

  @Override
  public String getNameLegacy() {
    return name;
  }

  @Override
  public Color getFullColor() {
    return color;
  }
}

import java.util.UUID;
import org.bukkit.Color;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.teams.Team;

final class PgmTeam extends Team {
  private final PgmMatch match;
  private final String name;
  private final Color color;

  PgmTeam(PgmMatch match, String name, int rgb) {
    this.match = match;
    this.name = name;
    this.color = Color.fromRGB(rgb);
  }

  @Override
  public MatchPlayer getPlayer(UUID playerId) {
    return match.member(this, playerId);
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

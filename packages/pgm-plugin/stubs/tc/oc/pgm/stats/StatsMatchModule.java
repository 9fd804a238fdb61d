package tc.oc.pgm.stats;

import com.google.common.collect.Table;
import java.util.Map;
import java.util.UUID;
import tc.oc.pgm.teams.Team;

public abstract class StatsMatchModule implements tc.oc.pgm.api.match.MatchModule {
  public abstract Map<UUID, PlayerStats> getStats();

  public abstract Table<Team, UUID, PlayerStats> getParticipationStats();

  public abstract Team getPrimaryTeam(UUID uuid, boolean includeObservers);
}

package scorehall.pgm;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bukkit.entity.Player;
import scorehall.outbox.Text;
import tc.oc.pgm.api.match.Match;

/** The data of `server.presence`: who is online without hidden players, and the map. */
final class Presence {
  private static final int MAX_PLAYERS = 5_000;

  private final HiddenPlayers hidden;
  private Match match;

  Presence(HiddenPlayers hidden) {
    this.hidden = hidden;
  }

  /** PGM unloads the match before only after the next one is loaded. */
  void loaded(Match match) {
    this.match = match;
  }

  Map<String, Object> data(Collection<? extends Player> online, Map<Match, MatchRecord> running) {
    List<String> names = online.stream()
        .filter(player -> !hidden.contains(player.getUniqueId()))
        .limit(MAX_PLAYERS)
        .map(player -> Text.clean(player.getName(), MatchRecord.MAX_NAME, player.getUniqueId().toString()))
        .toList();
    Map<String, Object> data = new LinkedHashMap<>();
    MatchRecord record = running.get(match);
    data.put("current", record == null ? 0 : Math.min(record.visibleParticipants(match), names.size()));
    data.put("players", names);
    if (match == null) return data;
    data.put("gamemode", Gamemodes.of(match.getMap()));
    data.put("current_map", MatchRecord.mapName(match));
    return data;
  }
}

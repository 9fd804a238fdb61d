package scorehall.pgm;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.bukkit.entity.Player;
import org.bukkit.metadata.FixedMetadataValue;
import org.bukkit.metadata.MetadataValue;
import org.bukkit.plugin.Plugin;
import tc.oc.pgm.api.integration.Integration;

/**
 * Players whose presence is not published: those who have a nick or are vanished in PGM, and those whom another plugin
 * marks as vanished. A player who leaves keeps his last state, because the reports of the match still could name him.
 */
final class HiddenPlayers {
  /** The key of vanish plugins. */
  private static final String VANISHED = "vanished";
  /** Tells the plugin for Bukkit, which does not know PGM. */
  private static final String MARK = "scorehall-hidden";

  private final Plugin plugin;
  private final Set<UUID> hidden = new HashSet<>();

  HiddenPlayers(Plugin plugin) {
    this.plugin = plugin;
  }

  /** @return whether the player was visible until now, and is hidden */
  boolean check(Player player) {
    boolean isHidden = Integration.isVanished(player)
        || Integration.getNick(player) != null
        || player.getMetadata(VANISHED).stream().anyMatch(MetadataValue::asBoolean);
    if (isHidden == hidden.contains(player.getUniqueId())) return false;
    if (isHidden) {
      hidden.add(player.getUniqueId());
      player.setMetadata(MARK, new FixedMetadataValue(plugin, true));
    } else {
      hidden.remove(player.getUniqueId());
      player.removeMetadata(MARK, plugin);
    }
    return isHidden;
  }

  boolean contains(UUID player) {
    return hidden.contains(player);
  }
}

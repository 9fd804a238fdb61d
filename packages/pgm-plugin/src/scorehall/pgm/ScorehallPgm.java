package scorehall.pgm;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.event.EventHandler;
import org.bukkit.event.EventPriority;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.plugin.java.JavaPlugin;
import scorehall.outbox.Outbox;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.match.event.MatchFinishEvent;
import tc.oc.pgm.api.match.event.MatchLoadEvent;
import tc.oc.pgm.api.match.event.MatchStartEvent;
import tc.oc.pgm.api.match.event.MatchUnloadEvent;
import tc.oc.pgm.api.player.event.MatchPlayerDeathEvent;
import tc.oc.pgm.controlpoint.events.ControllerChangeEvent;
import tc.oc.pgm.core.CoreLeakEvent;
import tc.oc.pgm.destroyable.DestroyableDestroyedEvent;
import tc.oc.pgm.events.PlayerParticipationStartEvent;
import tc.oc.pgm.flag.event.FlagCaptureEvent;
import tc.oc.pgm.wool.PlayerWoolPlaceEvent;

/**
 * Passes PGM's events to the record of their match, and writes the record while the match runs and when it is over. Writes
 * who is online, too, because only PGM knows who is disguised.
 */
public final class ScorehallPgm extends JavaPlugin implements Listener {
  private static final long SECOND = 20;
  private static final long REPORT_TICKS = 15 * SECOND;
  private static final long PRESENCE_TICKS = 30 * SECOND;

  private final Map<Match, MatchRecord> records = new HashMap<>();
  private final HiddenPlayers hidden = new HiddenPlayers(this);
  private final Presence presence = new Presence(hidden);
  private Outbox outbox;
  private boolean reportPlayers;

  @Override
  public void onEnable() {
    saveDefaultConfig();
    FileConfiguration config = getConfig();
    reportPlayers = config.getBoolean("report-players", true);
    try {
      outbox = Outbox.open(
          getDataFolder().toPath(), config.getString("url", ""), config.getString("key", ""), getLogger()::warning);
    } catch (IOException trouble) {
      getLogger().severe("outbox.ndjson cannot be written, so the plugin is disabled: " + trouble);
      getServer().getPluginManager().disablePlugin(this);
      return;
    }
    getServer().getPluginManager().registerEvents(this, this);
    repeat(this::checkHidden, SECOND);
    repeat(() -> records.forEach(this::report), REPORT_TICKS);
    repeat(this::reportPresence, PRESENCE_TICKS);
  }

  /** From the start on, because without a heartbeat the agent reports from the log, which names hidden players. */
  private void repeat(Runnable task, long ticks) {
    getServer().getScheduler().runTaskTimer(this, task, 0, ticks);
  }

  @Override
  public void onDisable() {
    if (outbox != null) outbox.close();
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onJoin(PlayerJoinEvent event) {
    hidden.check(event.getPlayer());
  }

  /** Reports at once without a player who disappears, because the last reports name him. */
  private void checkHidden() {
    long disappeared = getServer().getOnlinePlayers().stream().filter(hidden::check).count();
    if (disappeared == 0) return;
    records.forEach(this::report);
    reportPresence();
  }

  private void reportPresence() {
    if (!reportPlayers) return;
    outbox.append("server.presence", presence.data(getServer().getOnlinePlayers(), records));
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onLoad(MatchLoadEvent event) {
    presence.loaded(event.getMatch());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onStart(MatchStartEvent event) {
    MatchRecord record = new MatchRecord(hidden);
    records.put(event.getMatch(), record);
    presence.loaded(event.getMatch());
    event.getMatch().getParticipants().forEach(player -> record.participant(player, player.getCompetitor()));
    report(event.getMatch(), record);
  }

  /** Of reports that wait, the agent sends only the newest. */
  private void report(Match match, MatchRecord record) {
    outbox.append("match.progress", record.progress(match));
  }

  @EventHandler(priority = EventPriority.MONITOR, ignoreCancelled = true)
  public void onParticipation(PlayerParticipationStartEvent event) {
    MatchRecord record = records.get(event.getMatch());
    hidden.check(event.getPlayer().getBukkit());
    if (record != null) record.participant(event.getPlayer(), event.getCompetitor());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onDeath(MatchPlayerDeathEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record != null) record.death(event.getVictim(), event.getKiller(), event.getAssister());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onWool(PlayerWoolPlaceEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record != null) record.objective("wool", event.getWool(), event.getPlayer(), null);
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onCore(CoreLeakEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record != null) record.contributions("core", event.getCore(), event.getCore().getContributions());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onMonument(DestroyableDestroyedEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record == null) return;
    record.contributions("destroyable", event.getDestroyable(), event.getDestroyable().getContributions());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onFlag(FlagCaptureEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record != null) record.objective("flag", event.getGoal(), event.getCarrier().getState(), null);
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onControl(ControllerChangeEvent event) {
    MatchRecord record = records.get(event.getMatch());
    if (record != null && event.getNewController() != null) {
      record.control(event.getControlPoint(), event.getNewController());
    }
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onFinish(MatchFinishEvent event) {
    MatchRecord record = records.remove(event.getMatch());
    if (record != null) outbox.append("match.finished", record.finished(event.getMatch(), event.getWinners()));
  }

  /** A match that is unloaded before its end has no result. */
  @EventHandler(priority = EventPriority.MONITOR)
  public void onUnload(MatchUnloadEvent event) {
    records.remove(event.getMatch());
  }
}

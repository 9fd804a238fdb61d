import java.time.Duration;
import java.util.Map;
import tc.oc.pgm.stats.PlayerStats;

final class CountedStats extends PlayerStats {
  private final Map<String, Number> counts;

  CountedStats(Map<String, Number> counts) {
    this.counts = counts;
  }

  private Number of(String name) {
    return counts.getOrDefault(name, 0);
  }

  @Override
  public int getKills() {
    return of("Kills").intValue();
  }

  @Override
  public int getDeaths() {
    return of("Deaths").intValue();
  }

  @Override
  public int getMaxKillstreak() {
    return of("MaxKillstreak").intValue();
  }

  @Override
  public int getLongestBowKill() {
    return of("LongestBowKill").intValue();
  }

  @Override
  public int getShotsTaken() {
    return of("ShotsTaken").intValue();
  }

  @Override
  public int getShotsHit() {
    return of("ShotsHit").intValue();
  }

  @Override
  public int getDestroyablePiecesBroken() {
    return of("DestroyablePiecesBroken").intValue();
  }

  @Override
  public int getMonumentsDestroyed() {
    return of("MonumentsDestroyed").intValue();
  }

  @Override
  public int getFlagsCaptured() {
    return of("FlagsCaptured").intValue();
  }

  @Override
  public int getFlagPickups() {
    return of("FlagPickups").intValue();
  }

  @Override
  public int getCoresLeaked() {
    return of("CoresLeaked").intValue();
  }

  @Override
  public int getWoolsCaptured() {
    return of("WoolsCaptured").intValue();
  }

  @Override
  public int getWoolsTouched() {
    return of("WoolsTouched").intValue();
  }

  @Override
  public double getBowDamage() {
    return of("BowDamage").doubleValue();
  }

  @Override
  public double getBowDamageTaken() {
    return of("BowDamageTaken").doubleValue();
  }

  @Override
  public double getDamageDone() {
    return of("DamageDone").doubleValue();
  }

  @Override
  public double getDamageTaken() {
    return of("DamageTaken").doubleValue();
  }

  @Override
  public Duration getLongestFlagHold() {
    return Duration.ofMillis(of("LongestFlagHold").longValue());
  }

  @Override
  public Duration getTimePlayed() {
    return Duration.ofMillis(of("TimePlayed").longValue());
  }
}

package tc.oc.pgm.stats;

public abstract class PlayerStats {
  public abstract int getKills();

  public abstract int getDeaths();

  public abstract int getMaxKillstreak();

  public abstract int getLongestBowKill();

  public abstract double getBowDamage();

  public abstract double getBowDamageTaken();

  public abstract int getShotsTaken();

  public abstract int getShotsHit();

  public abstract double getDamageDone();

  public abstract double getDamageTaken();

  public abstract int getDestroyablePiecesBroken();

  public abstract int getMonumentsDestroyed();

  public abstract int getFlagsCaptured();

  public abstract int getFlagPickups();

  public abstract int getCoresLeaked();

  public abstract int getWoolsCaptured();

  public abstract int getWoolsTouched();

  public abstract java.time.Duration getLongestFlagHold();

  public abstract java.time.Duration getTimePlayed();
}

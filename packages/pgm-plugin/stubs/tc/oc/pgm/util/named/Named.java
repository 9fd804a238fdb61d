package tc.oc.pgm.util.named;

public interface Named {
  String getNameLegacy();
}

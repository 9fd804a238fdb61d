package tc.oc.pgm.api.map;

public interface VariantInfo {
  String getName();

  interface Forwarding extends VariantInfo {}
}

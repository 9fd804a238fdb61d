package tc.oc.pgm.api.module;

public interface ModuleContext<M extends Module> {
  <N extends M> N getModule(Class<? extends N> key);
}

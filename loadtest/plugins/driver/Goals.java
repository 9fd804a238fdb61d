import com.google.common.collect.ImmutableList;
import java.util.List;
import org.bukkit.DyeColor;
import tc.oc.pgm.controlpoint.ControlPoint;
import tc.oc.pgm.core.Core;
import tc.oc.pgm.destroyable.Destroyable;
import tc.oc.pgm.destroyable.DestroyableContribution;
import tc.oc.pgm.flag.Flag;
import tc.oc.pgm.goals.Contribution;
import tc.oc.pgm.wool.MonumentWool;

/** Goals with a name. */
final class Goals {
  private Goals() {}

  static MonumentWool wool(String name) {
    return new MonumentWool() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public DyeColor getDyeColor() {
        return DyeColor.BLUE;
      }
    };
  }

  static Flag flag(String name) {
    return new Flag() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public DyeColor getDyeColor() {
        return DyeColor.RED;
      }
    };
  }

  static ControlPoint hill(String name) {
    return new ControlPoint() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public DyeColor getDyeColor() {
        return DyeColor.WHITE;
      }
    };
  }

  static Core core(String name, List<Contribution> contributions) {
    return new Core() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public DyeColor getDyeColor() {
        return null;
      }

      @Override
      public ImmutableList<Contribution> getContributions() {
        return new Items<>(contributions);
      }
    };
  }

  static Destroyable monument(String name, List<DestroyableContribution> contributions) {
    return new Destroyable() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public DyeColor getDyeColor() {
        return DyeColor.RED;
      }

      @Override
      public ImmutableList<DestroyableContribution> getContributions() {
        return new Items<>(contributions);
      }
    };
  }
}

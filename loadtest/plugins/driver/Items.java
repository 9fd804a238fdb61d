import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/** A list as Guava's, over which the plugin iterates. */
final class Items<E> extends ImmutableList<E> {
  private final List<E> items;

  Items(List<E> items) {
    this.items = List.copyOf(items);
  }

  @Override
  public Iterator<E> iterator() {
    return items.iterator();
  }

  @Override
  public int size() {
    return items.size();
  }

  @Override
  public boolean isEmpty() {
    return items.isEmpty();
  }

  @Override
  public boolean contains(Object item) {
    return items.contains(item);
  }

  @Override
  public boolean containsAll(Collection<?> others) {
    return items.containsAll(others);
  }

  @Override
  public Object[] toArray() {
    return items.toArray();
  }

  @Override
  public <T> T[] toArray(T[] array) {
    return items.toArray(array);
  }

  @Override
  public boolean add(E item) {
    return items.add(item);
  }

  @Override
  public boolean addAll(Collection<? extends E> others) {
    return items.addAll(others);
  }

  @Override
  public boolean remove(Object item) {
    return items.remove(item);
  }

  @Override
  public boolean removeAll(Collection<?> others) {
    return items.removeAll(others);
  }

  @Override
  public boolean retainAll(Collection<?> others) {
    return items.retainAll(others);
  }

  @Override
  public void clear() {
    items.clear();
  }
}

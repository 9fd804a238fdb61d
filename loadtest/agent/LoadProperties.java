import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Prints the properties on stdin as the game server reads them, one a line, each name and value in brackets. */
public final class LoadProperties {
    public static void main(String[] arguments) throws IOException {
        Properties properties = new Properties();
        properties.load(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        properties.forEach((name, value) -> System.out.println("[" + name + "] [" + value + "]"));
    }
}

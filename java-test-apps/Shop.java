import java.util.HashMap;
import java.util.Map;

/**
 * A shop with the commonest leak: the basket of each visitor goes into a map and is never removed.
 * The pages rendered for a visit are garbage. The pages of docs/howto look for the leak, and compare
 * with {@code leak=no}.
 */
public final class Shop {
    private static final int PAGES = 4;

    private static byte[] shown;

    private final Map<Long, byte[]> baskets = new HashMap<>();
    private final int basketSize;
    private final int pageSize;

    private Shop(int basketSize, int pageSize) {
        this.basketSize = basketSize;
        this.pageSize = pageSize;
    }

    public static void main(String[] words) {
        Args args = new Args("Shop", words);
        long rate = args.number("rate", 2000, 0, 1_000_000, "visits a second, 0 = unlimited");
        long total = args.number("visits", 8000, 0, 1_000_000_000, "visits");
        int basket = (int) args.size("basket", 2048, 1, 1L << 29, "length of a basket");
        int page = (int) args.size("page", 4096, 1, 1L << 29, "length of a page");
        boolean leak = args.choice("leak", "keep baskets after the visit", "yes", "no").equals("yes");
        Run run = args.start();

        Shop shop = new Shop(basket, page);
        long visits = 0;
        while (run.more(visits, total)) {
            shop.visit(visits);
            if (!leak) {
                shop.leave(visits);
            }
            visits++;
            run.pace(visits, rate);
        }
        shown = null;

        long kept = shop.baskets.size();
        if (kept != (leak ? visits : 0)) {
            throw run.broken("baskets", kept, leak ? visits : 0);
        }
        long basketBytes = Sizes.byteArray(basket);
        run.truth(shop, "visits=%d objects=%d allocated=%d survivors=%d live=%d", visits,
            visits * (1 + PAGES), visits * (basketBytes + PAGES * Sizes.byteArray(page)), kept,
            kept * basketBytes);
    }

    private void visit(long visitor) {
        byte[] basket = new byte[basketSize];
        baskets.put(visitor, basket);
        for (int page = 0; page < PAGES; page++) {
            render(basket);
        }
    }

    private void leave(long visitor) {
        baskets.remove(visitor);
    }

    private void render(byte[] basket) {
        byte[] page = new byte[pageSize];
        page[0] = basket[0];
        shown = page;
    }
}

// A merchant's program on the Go client that openapi-generator makes of docs/openapi.json. It prints what it was answered.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	gateway "shop/gateway"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	settings := gateway.NewConfiguration()
	settings.Servers = gateway.ServerConfigurations{{URL: os.Getenv("GATEWAY_URL")}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("GATEWAY_KEY"))
	client := gateway.NewAPIClient(settings)
	ctx, id, phone := context.Background(), os.Getenv("CHARGE_ID"), "0700000000"

	charge, _, err := client.ChargesAPI.GetCharge(ctx, id).Execute()
	must(err)
	listed, after := 0, ""
	for {
		asked := client.ChargesAPI.ListCharges(ctx).Limit(1)
		if after != "" {
			asked = asked.StartingAfter(after)
		}
		page, _, err := asked.Execute()
		must(err)
		listed += len(page.Data)
		if !page.HasMore {
			break
		}
		after = *page.NextCursor.Get()
	}
	item := gateway.NewBulkPayoutItem(1000)
	item.Phone = &phone
	bulk, _, err := client.PayoutsAPI.CreateBulkPayout(ctx).XTimestamp(time.Now().Unix()).IdempotencyKey("wages-go").
		BulkPayoutCreate(gateway.BulkPayoutCreate{Payouts: []gateway.BulkPayoutItem{*item}}).Execute()
	must(err)
	refund, _, err := client.ChargesAPI.RefundCharge(ctx, id).XTimestamp(time.Now().Unix()).Execute()
	must(err)
	said, err := json.Marshal(map[string]any{
		"status": charge.Status, "listed": listed, "bulk": bulk.Accepted,
		"refund": refund.Refund.Get().Status, "amount": refund.Refund.Get().Amount,
	})
	must(err)
	fmt.Println(string(said))
}
